"""Who hears: the message, its templates, the outbox and the channels."""
