"""Ways to carry a sealed report to the daemon; one file each."""
