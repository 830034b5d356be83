"""Throw-away certificates for the fault node, made with the openssl command."""
import os
import ssl
import subprocess

KINDS = ("good", "expired", "wronghost")
CA_CONFIG = """[ca]
default_ca = here
[here]
dir = %(dir)s
database = %(dir)s/index
new_certs_dir = %(dir)s
serial = %(dir)s/serial
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


def _openssl(*args):
    done = subprocess.run(("openssl",) + args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise OSError("openssl %s: %s" % (args[0], done.stdout.decode(errors="replace").strip()))


def context(folder, kind):
    """Returns (server context, path of the certificate, which is its own CA)."""
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
    names = "DNS:elsewhere.invalid" if kind == "wronghost" else "DNS:localhost,IP:127.0.0.1"
    request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-subj", "/CN=fault node", "-addext", "subjectAltName=" + names, "-keyout", key]
    if kind == "expired":  # only `openssl ca` can date a certificate back
        config, csr = os.path.join(folder, "ca.cnf"), os.path.join(folder, "csr.pem")
        for path, text in ((config, CA_CONFIG % {"dir": folder}), (folder + "/index", ""),
                           (folder + "/serial", "01\n")):
            with open(path, "w") as f:
                f.write(text)
        _openssl(*request, "-out", csr)
        _openssl("ca", "-batch", "-selfsign", "-config", config, "-keyfile", key, "-in", csr,
                 "-out", cert, "-notext", "-startdate", "200101000000Z",
                 "-enddate", "210101000000Z")
    else:
        _openssl(*request, "-x509", "-days", "30", "-out", cert)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(cert, key)
    made.set_alpn_protocols(["http/1.1"])
    return made, cert
