"""What is told, drawn and written of the members of an ensemble."""
