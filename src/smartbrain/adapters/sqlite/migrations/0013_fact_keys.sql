-- Keys of facts whatever the case of their letters: "the API" and "the api" are one subject (M2).
CREATE INDEX facts_by_folded_key ON memories (lower(key)) WHERE type = 'facts';
