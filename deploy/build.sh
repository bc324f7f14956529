#!/usr/bin/env bash
# deploy/build.sh SERVICE TARGET: builds one service of this checkout into the folder TARGET, which must not exist yet:
# its compiled code and the packages it runs on, nothing else.
# deploy/build.sh: compiles all services, so that their images share this work.
# SERVICE may also be `operator`: the command `almanac`.
# Needs Node 24 in the PATH; deploy/Dockerfile runs it. PNPM_STORE names the folder of what is downloaded, pnpm included.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=(services/*)
if [ $# -gt 0 ]; then
  folders=("services/$1")
  [ "$1" = operator ] && folders=(operator)
  target=${2:?Into which folder?}
  [ -f "${folders[0]}/package.json" ] || { echo "There is no service $1." >&2; exit 1; }
  [ ! -e "$target" ] || { echo "$target exists already." >&2; exit 1; }
fi

export CI=true
pnpm=(npx --yes pnpm@12.21.0)
store=()
if [ -n "${PNPM_STORE:-}" ]; then
  # npx looks pnpm up at the registry each time.
  [ -x "$PNPM_STORE/12.21.0/bin/pnpm" ] || npm install --silent --global --prefix "$PNPM_STORE/12.21.0" pnpm@12.21.0
  pnpm=("$PNPM_STORE/12.21.0/bin/pnpm")
  store=(--store-dir "$PNPM_STORE")
fi

# --filter-prod leaves out what only tests import, such as the engine of ClickHouse with its 180 MB.
filters=(--filter almanac)
for folder in "${folders[@]}"; do filters+=(--filter-prod "@almanac/${folder##*/}..."); done
# The gateway serves the web console. Vite bundles it here, so the image has neither Vite nor its packages.
projects=("${folders[@]}")
if [[ " ${folders[*]} " == *' services/gateway '* ]]; then
  filters+=(--filter @almanac/console --filter @almanac/client)
  projects+=(clients/typescript)
fi
"${pnpm[@]}" install --frozen-lockfile --prefer-offline "${store[@]}" "${filters[@]}"
node scripts/production-projects.mjs "${projects[@]}"
node_modules/.bin/tsc -b "${projects[@]/%//tsconfig.production.json}"
[[ " ${folders[*]} " != *' services/gateway '* ]] || (cd clients/console && node_modules/.bin/vite build --logLevel warn)
[ $# -gt 0 ] || exit 0

"${pnpm[@]}" --filter "@almanac/${folders[0]##*/}" --prod --prefer-offline "${store[@]}" deploy "$target"
[ "${folders[0]}" = operator ] || node scripts/bundle.mjs "$target"
# Sources, types and the source maps of other packages run nowhere in production.
rm -rf "$target"/src "$target"/tsconfig* "$target"/node_modules/@almanac/*/{src,tsconfig*}
find "$target" -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find "$target/node_modules/.pnpm" -type f -name '*.map' -not -path '*/@almanac/*' -delete
find "$target" -path '*/console/dist/site/*' -name '*.map' -delete
# The engine of ClickHouse is for `npm start`, which has the same package as the operator's command.
rm -rf "$target"/node_modules/.pnpm/{chdb@,@chdb+}*
