#!/bin/sh
# versitygw with two users beside root: the keys of export and timeseries, which may do nothing until the bucket has a
# policy that names them (dist/bucket-main.js of export). Its file of users reads no variables, so it is written from the environment;
# letters only. VGW_IAM_DIR is a folder that dies with the container.
set -eu
export VGW_IAM_DIR="${VGW_IAM_DIR:-/tmp/iam}"
umask 077
mkdir -p "$VGW_IAM_DIR"
cat >"$VGW_IAM_DIR/users.json" <<END
{
  "accessAccounts": {
    "${S3_ACCESS_KEY_ID:?}": {
      "access": "$S3_ACCESS_KEY_ID",
      "secret": "${S3_SECRET_ACCESS_KEY:?}",
      "role": "user",
      "userID": 0,
      "groupID": 0,
      "projectID": 0
    },
    "${S3_SLABS_ACCESS_KEY_ID:?}": {
      "access": "$S3_SLABS_ACCESS_KEY_ID",
      "secret": "${S3_SLABS_SECRET_ACCESS_KEY:?}",
      "role": "user",
      "userID": 0,
      "groupID": 0,
      "projectID": 0
    }
  }
}
END
exec versitygw posix /data
