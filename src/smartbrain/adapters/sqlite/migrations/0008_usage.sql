-- What a tenant holds, counted in no time: the originals in files, and memories that are deleted (S7).
CREATE INDEX raw_chunks_in_files ON raw_chunks (length) WHERE path IS NOT NULL;

CREATE INDEX memories_deleted ON memories (num) WHERE deleted_at IS NOT NULL;
