#!/bin/sh
# An authority of your own for NATS, with a certificate of the servers and one of their clients, for compose or a trial:
#   sh deploy/nats/certificates.sh FOLDER [NAME…]     names of the servers; default: nats and localhost
# Again in the same folder, it renews both certificates and keeps the authority. Running processes read them with their next
# connection, and NATS after `nats-server --signal reload`. Needs openssl. Keep FOLDER/authority.key away from every server.
set -eu
umask 077
folder=${1:?name a folder}
shift
[ $# -gt 0 ] || set -- nats localhost
names=$(printf 'DNS:%s,' "$@")
mkdir -p "$folder/server" "$folder/client"
cd "$folder"
if [ ! -e authority.key ]; then
  openssl ecparam -name prime256v1 -genkey -noout -out authority.key
  openssl req -x509 -new -key authority.key -days 3650 -subj '/CN=Almanac NATS' -out authority.crt
fi
issue() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1/new.key"
  printf '%s\n' "$2" >"$1/extensions"
  openssl req -new -key "$1/new.key" -subj "/CN=almanac $1" |
    openssl x509 -req -CA authority.crt -CAkey authority.key -CAcreateserial -days 365 -extfile "$1/extensions" -out "$1/new.crt"
  cp authority.crt "$1/ca.crt"
  mv "$1/new.key" "$1/tls.key"
  mv "$1/new.crt" "$1/tls.crt"
  rm "$1/extensions"
  # Containers read them as users of their own. The folder above is closed to others.
  chmod 755 "$1"
  chmod 644 "$1"/*
}
issue server "subjectAltName=${names%,},IP:127.0.0.1"
issue client 'extendedKeyUsage=clientAuth'
