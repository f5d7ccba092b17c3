"""The description of a mechanism: bodies, markers, joints, drivers, parameters. Physical, independent of
coordinates."""
