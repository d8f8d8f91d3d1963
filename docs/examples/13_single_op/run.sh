#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/13_single_op/single_op.py .
try /usr/bin/python3 single_op.py
