// nobody lists this one
