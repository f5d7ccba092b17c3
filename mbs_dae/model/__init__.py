"""What the user says: bodies, markers, joints, drivers, parameters. Physical, independent of coordinates."""
