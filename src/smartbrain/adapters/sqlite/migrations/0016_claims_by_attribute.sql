-- What was told of an attribute is looked up by questions that ask for it.
CREATE INDEX claims_by_attribute ON claims (attribute, said_at)
  WHERE attribute <> 'other' AND status IN ('counted', 'candidate');
