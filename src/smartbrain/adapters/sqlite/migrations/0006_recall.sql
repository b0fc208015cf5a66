-- Recall by time: the turns of a stretch of time, without reading the others.
CREATE INDEX turns_by_time ON turns (at);
