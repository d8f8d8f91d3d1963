#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"
cp "$examples"/12_pytorch_overflow/train.py .
try /usr/bin/python3 train.py 1024
try /usr/bin/python3 train.py 33554432
