#!/usr/bin/env bash
# deploy/root-files.sh TARGET: copies what an image needs besides its service from the image that builds it. Debian's
# tools, npm and the shell utilities stay there.
set -euo pipefail
target=${1:?Into which folder?}
here=$(dirname "${BASH_SOURCE[0]}")
node=$(realpath "$(command -v node)")

# Libraries have the path at which the programs look for them.
mapfile -t libraries < <(ldd "$node" /bin/bash | grep -o '/[^ ]*\.so[^ ]*' | sort -u)
for library in "${libraries[@]}"; do install -D "$library" "$target$library"; done
install -D "$node" "$target/usr/local/bin/node"
install -D /bin/bash "$target/bin/bash"
install -D "$here/ready" "$target/usr/local/bin/ready"
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$target/etc/ssl/certs/ca-certificates.crt"
install -D -m 644 /etc/nsswitch.conf "$target/etc/nsswitch.conf"
printf 'root:x:0:0::/:\nnode:x:1000:1000::/:\n' >"$target/etc/passwd"
printf 'root:x:0:\nnode:x:1000:\n' >"$target/etc/group"
# For what a service may keep on disk: a volume that is mounted there takes its owner.
install -d -o 1000 -g 1000 "$target/var/lib/almanac" "$target/backups"
install -d -m 1777 "$target/tmp"
