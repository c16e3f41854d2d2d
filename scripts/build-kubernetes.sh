#!/bin/sh
# Builds etcd and a Kubernetes control plane with Go, for test/integration/kubernetes-cluster.test.ts: scripts/build-kubernetes.sh FOLDER
# Takes about ten minutes, 4 GB of memory and 4 GB of disk for Go's caches. Needs Go 1.24 or newer and a Go module proxy; no root.
set -eu

KUBERNETES=v1.34.2
ETCD=v3.6.4
bin=$(mkdir -p "${1:?usage: $0 FOLDER}" && cd "$1" && pwd)
sources=$(mktemp -d)
trap 'chmod -R u+w "$sources" && rm -rf "$sources"' EXIT

# `go install` refuses a module with replace directives, which Kubernetes has, and they name folders that its published module lacks: it is built from a copy
# that asks for the published libraries instead.
unpacked=$(go mod download -json "k8s.io/kubernetes@$KUBERNETES" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",*$/\1/p')
cp -R "$unpacked" "$sources/kubernetes"
chmod -R u+w "$sources/kubernetes"
cd "$sources/kubernetes"
minor_and_patch=${KUBERNETES#v1.}
libraries=v0.$minor_and_patch
sed -i.bak -e "s/ v0\.0\.0\$/ $libraries/" -e '/^replace (/,/^)/d' -e '/^godebug /d' go.mod
go mod edit -require "go.etcd.io/etcd/server/v3@$ETCD"

export GOWORK=off GOFLAGS=-mod=mod CGO_ENABLED=0
version="-X k8s.io/component-base/version.gitVersion=$KUBERNETES -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${minor_and_patch%.*}"
for program in kube-apiserver kube-controller-manager kube-scheduler; do
  echo "building $program"
  go build -p 2 -ldflags "-s -w $version" -o "$bin/$program" "./cmd/$program"
done
echo 'building etcd'
go build -p 2 -ldflags '-s -w' -o "$bin/etcd" go.etcd.io/etcd/server/v3
echo "done; now: ROOTNOTE_KUBE_BIN=$bin npm test"
