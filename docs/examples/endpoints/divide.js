// GET /1.0/divide?a=6&b=3: errors for the caller, errors of your own, and what goes to the log.
module.exports.model = { settings: { authenticate: false } };

function numberFrom(query, name) {
  const value = Number(query[name]);
  if (query[name] === undefined || Number.isNaN(value)) {
    // An error with a status of 400 to 599: the caller sees the status, the log the message.
    throw Object.assign(new Error(`${name} is no number`), { statusCode: 400 });
  }
  return value;
}

module.exports.get = (req, res, next) => {
  let a;
  let b;
  try {
    a = numberFrom(req.query, 'a');
    b = numberFrom(req.query, 'b');
  } catch (error) {
    return next(error);
  }
  console.debug('dividing', { a, b });
  // Nobody catches this one: the caller gets a 500 without details, the log the message and the line.
  if (b === 0) throw new RangeError('division by zero');
  res.json({ quotient: a / b });
};
