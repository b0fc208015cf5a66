"""The text index on tantivy: `index.TantivyTextIndex` is the port's implementation.

`segments` is what tantivy has written, `tail` what it has not; both score by `text.bm25`.
"""
