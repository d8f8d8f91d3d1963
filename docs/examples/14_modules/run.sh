#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/14_modules/modules.py .
try /usr/bin/python3 modules.py
try npuscope compare -m npu.npz -g cpu.npz -q
