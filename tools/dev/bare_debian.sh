#!/usr/bin/env bash
# bare_debian.sh [OPTION ...] [COMMAND ...]  runs a command of the repository in a Debian 12 that has nothing installed, so
# that no package is needed which install.sh does not name. COMMAND is tools/dev/demo.sh unless given; it runs in a fresh
# clone of what is committed.
#   --root FOLDER    the Debian's folder (default: a temporary one, removed at the end); one that exists is used again
#   --ccache FOLDER  a ccache of the host that the build may use
#   --shared FOLDER  reference data, put beside the clone as "shared"
#   --mirror URL     where packages come from (default: http://deb.debian.org/debian)
# Needs root and debootstrap.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
root=
ccache=
shared=
mirror=http://deb.debian.org/debian
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2; shift 2 ;;
    --ccache) ccache=$2; shift 2 ;;
    --shared) shared=$2; shift 2 ;;
    --mirror) mirror=$2; shift 2 ;;
    -*) echo "bare_debian.sh: no option $1" >&2; exit 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || set -- tools/dev/demo.sh
if [ "$(id -u)" -ne 0 ]; then
  echo "bare_debian.sh: must be root: it makes a root folder and enters it" >&2
  exit 2
fi
command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap

temporary=
if [ -z "$root" ]; then
  temporary=$(mktemp -d)
  root=$temporary
fi
mounted=()
leave() {
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; --i)); do umount -R "${mounted[i]}"; done
  # Only when nothing of the host is mounted there any more.
  if [ -n "$temporary" ] && ! grep -q " $temporary/" /proc/mounts; then rm -rf --one-file-system "$temporary"; fi
}
trap leave EXIT
# enter TARGET OPTION...  mounts something in the bare Debian until the end.
enter() {
  local target=$root/$1
  shift
  mkdir -p "$target"
  mount "$@" "$target"
  mounted+=("$target")
}

if [ ! -x "$root/usr/bin/apt-get" ]; then
  debootstrap --variant=minbase bookworm "$root" "$mirror"
fi
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
enter proc -t proc proc
enter dev --rbind /dev --make-rslave
rm -rf "$root/src/troupe"
mkdir -p "$root/src"
git clone --quiet --no-local "$repository" "$root/src/troupe"
[ -z "$ccache" ] || enter ccache --bind "$ccache"
[ -z "$shared" ] || enter src/shared --bind -o ro "$shared"

environment=(HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}")
[ -z "$ccache" ] || environment+=(CCACHE_DIR=/ccache)
for name in http_proxy https_proxy no_proxy; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
chroot "$root" /usr/bin/env -i "${environment[@]}" /bin/bash -c 'cd /src/troupe && exec "$@"' bash "$@"
