"""``gpualert-node``: watches the jobs of one node, and reports each when it is over. See doc/formats/node-files.md."""
