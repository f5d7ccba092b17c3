"""Members of a study: started, and run one after the other in workspaces that stay, many in a call. Compiled."""
