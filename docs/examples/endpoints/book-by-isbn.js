// GET /1.0/isbn/9780441478125: a route of its own, with a parameter that the router checks.
module.exports.config = () => ({ route: '/1.0/isbn/:isbn([0-9X]{10,13})' });

module.exports.get = async (req, res, next) => {
  const { results } = await Model('books').find({ isbn: req.params.isbn }, { limit: 1, compose: true });
  if (results.length === 0) return next();
  const [book] = results;
  res.json({ title: book.title, author: book.author?.name });
};
