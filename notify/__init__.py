"""Who hears: the message, its templates, the outbox and the channels.

A daemon needs four names: ``compose.compose``, ``outbox.Outbox``, ``channel.open_channel`` and, for logs, ``delivery.Round``.
"""

import logging

logging.getLogger(__name__).addHandler(logging.NullHandler())  # a program that wants our words configures logging
