"""Every way to end, under everything that can be wrong with gpualert: same states, codes and bytes as without it."""
