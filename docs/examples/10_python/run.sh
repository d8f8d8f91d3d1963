#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/10_python/dump.py .
try /usr/bin/python3 dump.py
