// Calls its model for ever, at the address that the environment names, and heeds no answer.
for (;;) {
  const answer = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY },
    body: JSON.stringify({ model: 'claude-stub', max_tokens: 100, stream: true, messages: ['go on'.repeat(100)] }),
  });
  await answer.text();
}
