"""The room of what a person says: bodies, markers, joints, drivers, parameters. Physical, independent of
coordinates."""
