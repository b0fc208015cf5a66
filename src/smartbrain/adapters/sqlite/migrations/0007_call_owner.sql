-- Who ran a tool: the agent that talks to the user, or one that works beside it (W6).
ALTER TABLE tool_calls ADD COLUMN owner TEXT NOT NULL DEFAULT 'main';
