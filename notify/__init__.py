"""Who hears: the message, its templates, the outbox and the channels.

A daemon needs four names: ``compose.compose``, ``outbox.Outbox``, ``channel.open_channel`` and, for logs, ``delivery.Round``.
"""
