"""What gpualert-node costs a node: memory, CPU, files, and how long it takes to look."""
