#!/bin/sh
# Made by `npm run deploy:make` from libs/redis/src/rights.ts; do not edit.
# Redis 7 or Valkey 8 with every user at exactly its keys, and nobody without a login. A configuration of Redis reads no
# variables: the passwords, letters only, come from the environment here, and stand in no file and no argument.
# It holds only what may be lost, so nothing is written to disk. Arguments go to redis-server.
set -eu
exec redis-server - "$@" <<END
save ""
appendonly no
maxmemory 256mb
maxmemory-policy allkeys-lru
user default off resetpass resetkeys resetchannels -@all
user gateway on >${REDIS_PASSWORD_GATEWAY:?} resetkeys resetchannels -@all +ping +info +cluster|info +cluster|slots (~almanac:limits:2:* ~almanac:limits:gateways &almanac:limits:usage +evalsha +eval +time +lpop +lindex +lpush +rpush +pexpire +publish +subscribe +zadd +zremrangebyscore +zrange +zrem) (~almanac:keys:used:* +hset +expire) (~almanac:keys:failed:* +evalsha +eval +incr +pexpire +pttl)
user timeseries on >${REDIS_PASSWORD_TIMESERIES:?} resetkeys resetchannels -@all +ping +info +cluster|info +cluster|slots (~almanac:preview:2:* ~almanac:preview:queue +eval +hget +hmget +hset +expire +set +get +del +zcard +zscore +zadd +zrange +zrem)
user keys on >${REDIS_PASSWORD_KEYS:?} resetkeys resetchannels -@all +ping +info +cluster|info +cluster|slots (~almanac:keys:used:* +hgetall)
END
