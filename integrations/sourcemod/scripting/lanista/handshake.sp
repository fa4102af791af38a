// How a session of Mnemosyne v2 comes to stand.

#define MAX_PENDING 16
#define REFUSED_VERSION 1
#define REFUSED_NOTHING 2
#define REFUSED_FULL 3

// The game runs by its own clock and its own chance: neither lockstep nor seeds.
#define CAPABILITIES (LN_CAN_STATE_LEGACY | LN_CAN_STATE_EXTENDED | LN_CAN_ACTION_LEGACY | LN_CAN_ACTION_RICH | LN_CAN_EVENTS)

enum struct Pending
{
	bool waits;
	char ip[64];
	int port;
	float since;
	char nonces[32];
	int clientId[2];
	int capabilities;
	int botsWanted;
	char clientName[17];
}

static bool s_HasKey;
static LnKey s_Root, s_Handshake;
static int s_Drawn;
static Pending s_Pending[MAX_PENDING];

void Handshake_SetKey()
{
	char key[LN_KEY_MOST + 2];
	g_CvarKey.GetString(key, sizeof(key));
	int length = strlen(key);
	s_HasKey = length >= LN_KEY_LEAST && length <= LN_KEY_MOST;
	if (s_HasKey)
	{
		Ln_MakeKey(s_Root, key, length);
		Ln_HandshakeKey(s_Root, s_Handshake);
	}
	else if (length > 0)
	{
		LogError("lanista_key has %d bytes: 16 to 64 are needed, v2 stays off", length);
	}
}

bool Handshake_HasKey()
{
	return s_HasKey;
}

static void SendHandshake(int kind, int end, const char[] ip, int port)
{
	LnFrame frame;
	frame.major = LN_MAJOR;
	frame.minor = LN_MINOR;
	frame.kind = kind;
	frame.fromServer = true;
	int size = Ln_Seal(g_Datagram, end, frame, s_Handshake);
	SendDatagram(g_Datagram, size, ip, port);
}

static void Refuse(const char[] nonce, int reason, const char[] ip, int port)
{
	SendHandshake(LN_REFUSED, Ln_PackRefused(g_Datagram, nonce, reason), ip, port);
}

static bool IsSame(const char[] a, const char[] b, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (a[i] != b[i])
		{
			return false;
		}
	}
	return true;
}

void Handshake_Receive(const char[] datagram, int size, LnFrame frame, const char[] ip, int port)
{
	// No handshake is longer in any version that is known: strangers must not make us hash whole datagrams.
	if (frame.payload > 64)
	{
		Dropped(Drop_Malformed);
		return;
	}
	if (!Ln_IsSealed(datagram, size, s_Handshake))
	{
		Dropped(Drop_WrongKey);
		return;
	}
	if (frame.major != LN_MAJOR)
	{
		Dropped(Drop_Version);
		if (frame.kind == LN_HELLO && frame.payload >= LN_NONCE_BYTES)
		{
			Refuse(datagram[LN_HEADER_BYTES], REFUSED_VERSION, ip, port);
		}
		return;
	}
	LnHello hello;
	char nonces[32];
	if (frame.kind == LN_HELLO && Ln_UnpackHello(datagram, frame, hello))
	{
		Hello(hello, ip, port);
	}
	else if (frame.kind == LN_AUTH && Ln_UnpackAuth(datagram, frame, nonces))
	{
		Auth(nonces, ip, port);
	}
	else
	{
		Dropped(Drop_Malformed);
	}
}

static int SessionOf(const int clientId[2])
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open && g_Sessions[i].clientId[0] == clientId[0] && g_Sessions[i].clientId[1] == clientId[1])
		{
			return i;
		}
	}
	return -1;
}

static int FreeSession()
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (!g_Sessions[i].open)
		{
			return i;
		}
	}
	return -1;
}

static int Agreed(int offered)
{
	return offered & (CAPABILITIES | (g_CvarMaps.BoolValue ? LN_CAN_RESET_MAP : 0));
}

static void Hello(LnHello hello, const char[] ip, int port)
{
	int agreed = Agreed(hello.capabilities);
	if (!(agreed & (LN_CAN_STATE_LEGACY | LN_CAN_STATE_EXTENDED)) || !(agreed & (LN_CAN_ACTION_LEGACY | LN_CAN_ACTION_RICH)))
	{
		Refuse(hello.clientNonce, REFUSED_NOTHING, ip, port);
		return;
	}
	if (FreeSession() < 0 && SessionOf(hello.clientId) < 0)
	{
		Refuse(hello.clientNonce, REFUSED_FULL, ip, port);
		return;
	}
	int place = 0;
	for (int i = 0; i < MAX_PENDING; i++)
	{
		if (s_Pending[i].waits && s_Pending[i].port == port && StrEqual(s_Pending[i].ip, ip)
			&& IsSame(s_Pending[i].nonces, hello.clientNonce, LN_NONCE_BYTES))
		{
			SendHandshake(LN_CHALLENGE, Ln_PackChallenge(g_Datagram, s_Pending[i].nonces), ip, port);
			return;
		}
		// A free place, else the oldest.
		if (s_Pending[place].waits && (!s_Pending[i].waits || s_Pending[i].since < s_Pending[place].since))
		{
			place = i;
		}
	}
	char nonce[LN_NONCE_BYTES];
	DrawNonce(nonce, hello.clientNonce);
	for (int i = 0; i < LN_NONCE_BYTES; i++)
	{
		s_Pending[place].nonces[i] = hello.clientNonce[i];
		s_Pending[place].nonces[LN_NONCE_BYTES + i] = nonce[i];
	}
	s_Pending[place].waits = true;
	s_Pending[place].since = GetEngineTime();
	s_Pending[place].port = port;
	strcopy(s_Pending[place].ip, sizeof(Pending::ip), ip);
	s_Pending[place].clientId = hello.clientId;
	s_Pending[place].capabilities = agreed;
	s_Pending[place].botsWanted = hello.botsWanted;
	strcopy(s_Pending[place].clientName, sizeof(Pending::clientName), hello.clientName);
	SendHandshake(LN_CHALLENGE, Ln_PackChallenge(g_Datagram, s_Pending[place].nonces), ip, port);
}

// Never drawn before: from the time, a count, the engine's chance and the client's own nonce, under the shared key.
static void DrawNonce(char nonce[LN_NONCE_BYTES], const char[] clientNonce)
{
	char text[48], mac[32];
	int at = 0;
	Ln_PutU32(text, at, ++s_Drawn);
	Ln_PutU32(text, at, GetTime());
	Ln_PutU32(text, at, view_as<int>(GetEngineTime()));
	for (int i = 0; i < 4; i++)
	{
		Ln_PutU32(text, at, GetURandomInt());
	}
	Ln_PutBytes(text, at, clientNonce, LN_NONCE_BYTES);
	Ln_Mac(s_Root, text, at, mac);
	for (int i = 0; i < LN_NONCE_BYTES; i++)
	{
		nonce[i] = mac[i];
	}
}

static void Auth(const char nonces[32], const char[] ip, int port)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (g_Sessions[i].open && Sessions_IsFrom(i, ip, port) && IsSame(g_Sessions[i].nonces, nonces, 32))
		{
			Welcome(i);
			return;
		}
	}
	for (int p = 0; p < MAX_PENDING; p++)
	{
		if (s_Pending[p].waits && s_Pending[p].port == port && StrEqual(s_Pending[p].ip, ip)
			&& IsSame(s_Pending[p].nonces, nonces, 32))
		{
			s_Pending[p].waits = false;
			Open(p);
			return;
		}
	}
	Dropped(Drop_OutOfPlace);
}

static void Open(int p)
{
	int old = SessionOf(s_Pending[p].clientId);
	if (old >= 0)
	{
		Sessions_Close(old, BYE_REPLACED);
	}
	int i = FreeSession();
	if (i < 0)
	{
		Refuse(s_Pending[p].nonces, REFUSED_FULL, s_Pending[p].ip, s_Pending[p].port);
		return;
	}
	Session fresh;
	g_Sessions[i] = fresh;
	LnWindow window;
	g_Windows[i] = window;
	g_Sessions[i].open = true;
	do
	{
		g_Sessions[i].id = GetURandomInt() ^ s_Drawn << 16;
	}
	while (g_Sessions[i].id == 0 || IdTaken(i));
	strcopy(g_Sessions[i].ip, sizeof(Session::ip), s_Pending[p].ip);
	g_Sessions[i].port = s_Pending[p].port;
	g_Sessions[i].nonces = s_Pending[p].nonces;
	g_Sessions[i].clientId = s_Pending[p].clientId;
	g_Sessions[i].capabilities = s_Pending[p].capabilities;
	g_Sessions[i].heard = GetEngineTime();
	g_Sessions[i].answer = -1;
	Bots_Seat();
	g_Sessions[i].bots = s_Pending[p].botsWanted & Bots_Free();
	for (int seat = 0; seat < SEATS; seat++)
	{
		g_Applied[i][seat] = 0;
		g_AppliedTick[i][seat] = 0;
		if (g_Sessions[i].bots & 1 << seat)
		{
			Bots_Give(seat, Owner_V2);
		}
	}
	Ln_SessionKeys(s_Root, g_Sessions[i].nonces, g_ClientKey[i], g_ServerKey[i]);
	LogMessage("session %08x: %s at %s:%d has bots %x", g_Sessions[i].id, s_Pending[p].clientName, g_Sessions[i].ip,
		g_Sessions[i].port, g_Sessions[i].bots);
	Welcome(i);
}

static bool IdTaken(int mine)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (i != mine && g_Sessions[i].open && g_Sessions[i].id == g_Sessions[mine].id)
		{
			return true;
		}
	}
	return false;
}

static void Welcome(int i)
{
	char map[LN_MAP_BYTES + 1];
	GetCurrentMap(map, sizeof(map));
	int end = Ln_PackWelcome(g_Datagram, g_Sessions[i].capabilities, g_Sessions[i].bots, TICKS_PER_SEC, TicksPerState(),
		HOLD_TICKS, g_Episode, "Left 4 Dead 2", map);
	Sessions_Send(i, LN_WELCOME, end);
}

void Handshake_Poll(float now)
{
	for (int p = 0; p < MAX_PENDING; p++)
	{
		if (s_Pending[p].waits && now - s_Pending[p].since >= SILENCE_SECS)
		{
			s_Pending[p].waits = false;
		}
	}
}
