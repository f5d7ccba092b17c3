"""The reachable workspace of an arm, with limits of its joints."""
