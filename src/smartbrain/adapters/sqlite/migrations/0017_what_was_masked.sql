-- What is masked is masked in the events as well; nothing is kept beside them.

DROP TABLE withheld;
