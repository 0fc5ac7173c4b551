"""The modules of names, as exports.Namespace reads them."""

NAMESPACES = {
    "bitwise": "",
}
