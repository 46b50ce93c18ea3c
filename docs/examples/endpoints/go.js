// GET /1.0/go/docs: short links. Only targets that are listed here, so that nobody can make it point elsewhere.
module.exports.model = { settings: { authenticate: false } };
module.exports.config = () => ({ route: '/1.0/go/:name' });

const TARGETS = new Map([
  ['docs', 'https://docs.example.com/start'],
  ['jobs', 'https://jobs.example.com/'],
]);

module.exports.get = (req, res, next) => {
  const target = TARGETS.get(req.params.name);
  if (target === undefined) return next();
  res.redirect(302, target);
};
