#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/23_hooks/hooks.py .
try /usr/bin/python3 hooks.py
try npuscope compare -m bf16.npz -g fp32.npz -q
try npuscope compare -m wrong.npz -g fp32.npz -q
