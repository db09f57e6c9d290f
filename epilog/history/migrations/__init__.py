"""The steps of the schema, ``NNNN_name.sql``; a package so that they are installed."""
