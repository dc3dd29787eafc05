"""Problems, numbers for their symbols, and the question that an answer poses."""
