// GET /1.0/weather/Oslo: asks another service. The server adds its secret; this code never sees it.
module.exports.model = { settings: { authenticate: false } };
module.exports.config = () => ({ route: '/1.0/weather/:city([a-zA-Z]{1,40})' });

module.exports.get = async (req, res) => {
  const answer = await fetch(`https://api.example.com/v1/now?city=${encodeURIComponent(req.params.city)}`);
  if (!answer.ok) {
    console.error('the weather service answered', answer.status);
    return res.status(502).json({ error: 'no weather today' });
  }
  const { degrees } = await answer.json();
  res.set('Cache-Control', 'max-age=300').json({ city: req.params.city, degrees });
};
