#!/usr/bin/env bash
# Installs the packages that the browser tests need into FOLDER, unless it has those of this lock file.
#
# usage: install_packages.sh PAGE_FOLDER FOLDER
set -euo pipefail
page=$1 folder=$2
mkdir -p "$folder"
cmp -s "$page/package-lock.json" "$folder/package-lock.json" && [[ -d $folder/node_modules/playwright-core ]] && exit 0
cp "$page/package.json" "$page/package-lock.json" "$folder"
cd "$folder"
npm ci --no-audit --no-fund --ignore-scripts || { rm -f package-lock.json; exit 1; }
