"""Pure functions on Chinese, English and mixed text; nothing here reads or writes anything."""
