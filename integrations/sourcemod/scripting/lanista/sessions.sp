// The game's end of Mnemosyne v2 once a session stands: acknowledgements, resets, states, events.

#define MAX_SESSIONS 4
#define MAX_KEPT 256
#define SILENCE_SECS 5.0
#define RETRY_SECS 0.25

#define BYE_REPLACED 2
#define BYE_SILENCE 3
#define BYE_EXHAUSTED 4

enum struct Session
{
	bool open;
	int id;
	char ip[64];
	int port;
	char nonces[32];
	int clientId[2];
	int capabilities;
	int bots;
	int sent;
	float heard;
	int clientMillis;
	int lastRequest;
	// -1 while there is no answer to the last request.
	int answer;
	int answerEpisode;
	int eventCount;
	int eventsSeen;
	float eventsSent;
}

Session g_Sessions[MAX_SESSIONS];
LnKey g_ClientKey[MAX_SESSIONS], g_ServerKey[MAX_SESSIONS];
LnWindow g_Windows[MAX_SESSIONS];
int g_Applied[MAX_SESSIONS][SEATS], g_AppliedTick[MAX_SESSIONS][SEATS];
static LnEvent s_Events[MAX_SESSIONS * MAX_KEPT];
char g_Datagram[LN_DATAGRAM_BYTES];

bool Sessions_Any()
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open)
		{
			return true;
		}
	}
	return false;
}

// ---- sending ----------------------------------------------------------------------------------------------------

void Sessions_Send(int i, int kind, int end)
{
	LnFrame frame;
	frame.major = LN_MAJOR;
	frame.minor = LN_MINOR;
	frame.kind = kind;
	frame.fromServer = true;
	frame.session = g_Sessions[i].id;
	frame.seq = ++g_Sessions[i].sent;
	frame.tick = g_Tick;
	int size = Ln_Seal(g_Datagram, end, frame, g_ServerKey[i]);
	SendDatagram(g_Datagram, size, g_Sessions[i].ip, g_Sessions[i].port);
}

void Sessions_Close(int i, int reason)
{
	Sessions_Send(i, LN_BYE, Ln_PackBye(g_Datagram, reason));
	Release(i, reason);
}

static void Release(int i, int reason)
{
	g_Sessions[i].open = false;
	for (int seat = 0; seat < SEATS; seat++)
	{
		if (g_Sessions[i].bots & 1 << seat)
		{
			Bots_Give(seat, Owner_Game);
		}
	}
	LogMessage("session %08x of %s:%d ended, reason %d", g_Sessions[i].id, g_Sessions[i].ip, g_Sessions[i].port, reason);
}

void Sessions_CloseAll(int reason)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open)
		{
			Sessions_Close(i, reason);
		}
	}
}

// ---- receiving --------------------------------------------------------------------------------------------------

void Sessions_Receive(const char[] datagram, int size, const char[] ip, int port)
{
	LnFrame frame;
	if (!Handshake_HasKey() || !Ln_ReadFrame(datagram, size, frame))
	{
		Dropped(Drop_Malformed);
	}
	else if (frame.fromServer)
	{
		Dropped(Drop_OutOfPlace);
	}
	else if (frame.kind == LN_HELLO || frame.kind == LN_AUTH)
	{
		Handshake_Receive(datagram, size, frame, ip, port);
	}
	else if (frame.major != LN_MAJOR)
	{
		Dropped(Drop_Version);
	}
	else
	{
		ReceiveInSession(datagram, size, frame, ip, port);
	}
}

bool Sessions_IsFrom(int i, const char[] ip, int port)
{
	return g_Sessions[i].port == port && StrEqual(g_Sessions[i].ip, ip);
}

static void ReceiveInSession(const char[] datagram, int size, LnFrame frame, const char[] ip, int port)
{
	int i = 0;
	while (i < MAX_SESSIONS && !(g_Sessions[i].open && g_Sessions[i].id == frame.session))
	{
		i++;
	}
	if (i == MAX_SESSIONS)
	{
		Dropped(Drop_UnknownSession);
	}
	else if (!Sessions_IsFrom(i, ip, port))
	{
		Dropped(Drop_OtherAddress);
	}
	else if (!Ln_IsSealed(datagram, size, g_ClientKey[i]))
	{
		Dropped(Drop_WrongKey);
	}
	else if (!Ln_Accept(g_Windows[i], frame.seq))
	{
		Dropped(Drop_Replayed);
	}
	else
	{
		g_Sessions[i].heard = GetEngineTime();
		Take(i, datagram, frame);
	}
}

static void Take(int i, const char[] datagram, LnFrame frame)
{
	int episode, seen, count, request, seed[2], reason;
	char map[LN_MAP_BYTES + 1];
	if (frame.kind == LN_ACTION && Ln_UnpackActions(datagram, frame, episode, seen, count))
	{
		Seen(i, seen);
		Act(i, datagram, episode, count);
	}
	else if (frame.kind == LN_HEARTBEAT && Ln_UnpackHeartbeat(datagram, frame, g_Sessions[i].clientMillis, seen))
	{
		Seen(i, seen);
		int millis = RoundToFloor(GetEngineTime() * 1000.0);
		Sessions_Send(i, LN_HEARTBEAT, Ln_PackHeartbeat(g_Datagram, millis, g_Sessions[i].clientMillis, 0));
	}
	else if (frame.kind == LN_RESET && Ln_UnpackReset(datagram, frame, request, seed, map))
	{
		Reset(i, request, map);
	}
	else if (frame.kind == LN_BYE && Ln_UnpackBye(datagram, frame, reason))
	{
		Release(i, reason);
	}
	else
	{
		Dropped(Drop_Malformed);
	}
}

static void Act(int i, const char[] datagram, int episode, int count)
{
	LnAction action;
	for (int entry = 0; entry < count; entry++)
	{
		Ln_UnpackAction(datagram, entry, action);
		int seat = action.botId;
		int needed = action.rich ? LN_CAN_ACTION_RICH : LN_CAN_ACTION_LEGACY;
		if (episode != g_Episode || seat >= SEATS || !(g_Sessions[i].bots & 1 << seat) || !(g_Sessions[i].capabilities & needed)
			|| !Ln_IsAbove(action.number, g_Applied[i][seat]))
		{
			continue;
		}
		g_Applied[i][seat] = action.number;
		g_AppliedTick[i][seat] = g_Tick;
		Bots_Apply(seat, action);
	}
}

static void Reset(int i, int request, const char[] map)
{
	if (request == 0 || Ln_IsAbove(g_Sessions[i].lastRequest, request))
	{
		Dropped(Drop_OutOfPlace);
	}
	else if (request == g_Sessions[i].lastRequest)
	{
		if (g_Sessions[i].answer >= 0)
		{
			SendAnswer(i);
		}
	}
	else
	{
		g_Sessions[i].lastRequest = request;
		g_Sessions[i].answer = -1;
		if (map[0] != '\0' && !(g_Sessions[i].capabilities & LN_CAN_RESET_MAP))
		{
			Sessions_Answer(g_Sessions[i].id, request, RESET_NOT_ALLOWED);
		}
		else
		{
			Resets_Begin(g_Sessions[i].id, request, map);
		}
	}
}

// How a reset went, to the client that asked for it, if it is still there and has not asked again.
void Sessions_Answer(int id, int request, int status)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open && g_Sessions[i].id == id && g_Sessions[i].lastRequest == request)
		{
			g_Sessions[i].answer = status;
			g_Sessions[i].answerEpisode = g_Episode;
			SendAnswer(i);
		}
	}
}

// The same for all who wait for an answer.
void Sessions_AnswerAll(int status)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open && g_Sessions[i].lastRequest != 0 && g_Sessions[i].answer < 0)
		{
			Sessions_Answer(g_Sessions[i].id, g_Sessions[i].lastRequest, status);
		}
	}
}

static void SendAnswer(int i)
{
	char map[LN_MAP_BYTES + 1];
	int seed[2];
	GetCurrentMap(map, sizeof(map));
	int end = Ln_PackResetDone(g_Datagram, g_Sessions[i].lastRequest, g_Sessions[i].answer, g_Sessions[i].answerEpisode, seed,
		map);
	Sessions_Send(i, LN_RESET_DONE, end);
}

// ---- states and events --------------------------------------------------------------------------------------------

void Sessions_SendStates()
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open)
		{
			SendStates(i);
		}
	}
}

static void SendStates(int i)
{
	bool extended = (g_Sessions[i].capabilities & LN_CAN_STATE_EXTENDED) != 0;
	int seats[SEATS], bots = 0;
	for (int seat = 0; seat < SEATS; seat++)
	{
		if (g_Sessions[i].bots & 1 << seat && Bots_Client(seat) != 0)
		{
			seats[bots++] = seat;
		}
	}
	// Three with all their entities fit into a datagram, or four with 11.
	int most = bots <= 3 ? LN_MAX_ENTITIES : 11, each = extended ? 4 : SEATS;
	int parts = bots == 0 ? 1 : (bots + each - 1) / each;
	for (int part = 0; part < parts; part++)
	{
		int first = part * each, count = bots - first < each ? bots - first : each;
		int end = Ln_BeginStates(g_Datagram, g_Episode, extended && count > 0, part, parts, count);
		for (int n = first; n < first + count; n++)
		{
			PutRecord(i, seats[n], end, extended, most);
		}
		Sessions_Send(i, LN_STATE, end);
	}
}

static void PutRecord(int i, int seat, int &end, bool extended, int most)
{
	LnState state;
	LnExtended more;
	LnEntity entities[LN_MAX_ENTITIES];
	int client = Bots_Client(seat);
	States_Of(seat, client, state);
	Ln_PutAck(g_Datagram, end, g_Applied[i][seat], g_AppliedTick[i][seat]);
	Ln_PutState(g_Datagram, end, state);
	if (extended)
	{
		States_ExtendedOf(seat, client, more);
		int count = States_Entities(client, state.position, entities, most);
		Ln_PutExtended(g_Datagram, end, more, entities, count);
	}
}

void Sessions_Tell(int event, int botId, int other, int value)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		bool concerns = botId == LN_NONE || (g_Sessions[i].bots & 1 << botId) != 0;
		if (!g_Sessions[i].open || !concerns || !(g_Sessions[i].capabilities & LN_CAN_EVENTS))
		{
			continue;
		}
		int number = ++g_Sessions[i].eventCount;
		int place = i * MAX_KEPT + number % MAX_KEPT;
		s_Events[place].number = number;
		s_Events[place].tick = g_Tick;
		s_Events[place].event = event;
		s_Events[place].botId = botId;
		s_Events[place].other = other;
		s_Events[place].value = value;
		// Several in a frame go out together, in the next poll.
		g_Sessions[i].eventsSent = 0.0;
	}
}

static void Seen(int i, int seen)
{
	if (seen > g_Sessions[i].eventsSeen && seen <= g_Sessions[i].eventCount)
	{
		g_Sessions[i].eventsSeen = seen;
	}
}

static void SendEvents(int i)
{
	int first = g_Sessions[i].eventsSeen + 1, last = g_Sessions[i].eventCount;
	first = first <= last - MAX_KEPT ? last - MAX_KEPT + 1 : first;
	int count = last - first + 1 < LN_MAX_EVENTS ? last - first + 1 : LN_MAX_EVENTS;
	int end = Ln_BeginEvents(g_Datagram, g_Episode, count);
	for (int number = first; number < first + count; number++)
	{
		Ln_PutEvent(g_Datagram, end, s_Events[i * MAX_KEPT + number % MAX_KEPT]);
	}
	g_Sessions[i].eventsSent = GetEngineTime();
	Sessions_Send(i, LN_EVENTS, end);
}

void Sessions_Poll()
{
	float now = GetEngineTime();
	Handshake_Poll(now);
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (!g_Sessions[i].open)
		{
			continue;
		}
		if (now - g_Sessions[i].heard >= SILENCE_SECS)
		{
			Sessions_Close(i, BYE_SILENCE);
		}
		else if (g_Sessions[i].sent >= 0x7FFFFFF0)
		{
			Sessions_Close(i, BYE_EXHAUSTED);
		}
		else if (g_Sessions[i].eventsSeen < g_Sessions[i].eventCount && now - g_Sessions[i].eventsSent >= RETRY_SECS)
		{
			SendEvents(i);
		}
	}
}
