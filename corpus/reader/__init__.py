"""The second reader: cases as pages without their labels, for somebody who did not make them; and where label and reader differ."""
