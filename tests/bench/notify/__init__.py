"""``make bench-notify``: what the outbox, the sending and the rendering of mail cost, and what is lost when the sender is killed."""
