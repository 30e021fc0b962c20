"""A quick-look digest on one page: facts, cells, table, texts, and the page that holds them."""
