// POST /act: node http.js [HOST:PORT]
const server = "http://" + (process.argv[2] ?? "127.0.0.1:5602");
const act = async (request) => {
  const reply = await (await fetch(server + "/act", { method: "POST", body: JSON.stringify(request) })).json();
  if (reply.error) throw new Error(reply.error);
  return reply;
};

(async () => {
  const { models } = await (await fetch(server + "/models")).json();
  const { features } = await act({ describe: true, model: models[0].name });
  const { action } = await act({ model: models[0].name, obs: features.map((_, i) => i * 0.1) });
  console.log("action", ...action);
})();
