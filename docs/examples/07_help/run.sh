#!/usr/bin/env bash
source "$(dirname "$0")/../setup.sh"

try npuscope help chips
try npuscope help metrics
try npuscope help ops
