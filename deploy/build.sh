#!/usr/bin/env bash
# deploy/build.sh SERVICE TARGET: builds one service of this checkout into the folder TARGET, which must not exist yet:
# its compiled code and the packages it runs on, nothing else. Needs Node 24 in the PATH; deploy/Dockerfile runs it.
set -euo pipefail
service=${1:?Which service?}
target=${2:?Into which folder?}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ -f "services/$service/package.json" ] || { echo "There is no service $service." >&2; exit 1; }
[ ! -e "$target" ] || { echo "$target exists already." >&2; exit 1; }

export CI=true
pnpm=(npx --yes pnpm@12.21.0)
"${pnpm[@]}" install --frozen-lockfile --prefer-offline --filter almanac --filter "@almanac/$service..."
node_modules/.bin/tsc -b "services/$service"
"${pnpm[@]}" --filter "@almanac/$service" --prod --prefer-offline deploy "$target"

# Tests and sources run nowhere in production.
for package in "$target" "$target"/node_modules/@almanac/*/; do
  rm -rf "${package:?}/src" "$package"/tsconfig*
  find "$package/dist" -name '*.spec.*' -delete
done
