// POST /1.0/contact: a form of a web page becomes a document.
const FIELDS = ['name', 'email', 'text'];

module.exports.post = async (req, res) => {
  const missing = FIELDS.filter(
    (field) => typeof req.body[field] !== 'string' || req.body[field].trim() === '',
  );
  if (missing.length > 0) return res.status(400).json({ missing });

  const { name, email, text } = req.body;
  const created = await Model('messages').create({ name, email, text: text.slice(0, 2000) });
  console.log('message', created.results[0]._id, 'from', req.ip === '' ? 'nowhere' : 'a visitor');
  res.status(201).json({ thanks: name });
};
