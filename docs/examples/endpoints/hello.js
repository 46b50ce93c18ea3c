// GET /1.0/hello?name=Ursula: the smallest endpoint. No token is needed, because it says so.
module.exports.model = { settings: { authenticate: false } };

module.exports.get = (req, res) => {
  res.json({ hello: req.query.name || 'world' });
};
