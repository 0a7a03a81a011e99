# A menu over `cargo xtask`; nothing important lives here.

# Lists what there is.
default:
    @just --list

# Every check and every test.
test *arguments:
    cargo xtask test {{ arguments }}

# What continuous integration runs.
ci:
    .ci/run

# Writes the generated references anew.
gen:
    cargo xtask gen

# Layers, licences, documents, features.
check:
    cargo xtask check-layers
    cargo xtask check-licences
    cargo xtask check-docs
    cargo xtask check-features

# A real model drives the bakery.
model:
    cargo xtask model-chat
