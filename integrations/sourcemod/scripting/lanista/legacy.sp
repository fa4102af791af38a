// The game's end of Mnemosyne v1: who connected a bot last has it.

#define V1_SILENCE_SECS 10.0

static char s_Ip[SEATS][64];
static int s_Port[SEATS];
static float s_Heard[SEATS];
// A state follows each action and reset, so that a slow client does not fall behind.
static bool s_Due[SEATS];

bool Legacy_Any()
{
	for (int seat = 0; seat < SEATS; seat++)
	{
		if (g_Owner[seat] == Owner_V1)
		{
			return true;
		}
	}
	return false;
}

void Legacy_Receive(const char[] datagram, int size, const char[] ip, int port)
{
	int type, seat, action;
	if (g_CvarV1.IntValue == 0 || (g_CvarV1.IntValue == 1 && strncmp(ip, "127.", 4) != 0 && !StrEqual(ip, "::1")))
	{
		Dropped(Drop_OtherAddress);
		return;
	}
	if (!Ln_UnpackV1(datagram, size, type, seat, action))
	{
		Dropped(Drop_Malformed);
		return;
	}
	if (seat >= SEATS || Bots_Client(seat) == 0 || g_Owner[seat] == Owner_V2)
	{
		Dropped(Drop_UnknownSession);
		return;
	}
	if (type == 0x01)
	{
		strcopy(s_Ip[seat], sizeof(s_Ip[]), ip);
		s_Port[seat] = port;
		s_Heard[seat] = GetEngineTime();
		s_Due[seat] = false;
		Bots_Give(seat, Owner_V1);
		SendDatagram(datagram, size, ip, port);
		return;
	}
	if (g_Owner[seat] != Owner_V1 || s_Port[seat] != port || !StrEqual(s_Ip[seat], ip))
	{
		Dropped(Drop_UnknownSession);
		return;
	}
	s_Heard[seat] = GetEngineTime();
	switch (type)
	{
		case 0x02:
		{
			Bots_Give(seat, Owner_Game);
		}
		case 0x03:
		{
			LnAction told;
			told.botId = seat;
			told.legacy = action;
			Bots_Apply(seat, told);
			s_Due[seat] = true;
		}
		case 0x05:
		{
			s_Due[seat] = true;
			Resets_Begin(0, 0, "");
		}
	}
}

void Legacy_SendStates()
{
	char datagram[80];
	LnState state;
	for (int seat = 0; seat < SEATS; seat++)
	{
		int client = Bots_Client(seat);
		// The state of an episode that is about to end would be taken for the first of the next.
		if (g_Owner[seat] != Owner_V1 || !s_Due[seat] || client == 0 || Resets_UnderWay())
		{
			continue;
		}
		s_Due[seat] = false;
		States_Of(seat, client, state);
		int size = g_CvarV1Layout.IntValue == 1 ? Ln_PackStateLegacy69(datagram, state) : Ln_PackStateV1(datagram, state);
		SendDatagram(datagram, size, s_Ip[seat], s_Port[seat]);
	}
}

void Legacy_Poll()
{
	for (int seat = 0; seat < SEATS; seat++)
	{
		if (g_Owner[seat] == Owner_V1 && GetEngineTime() - s_Heard[seat] >= V1_SILENCE_SECS && !Resets_UnderWay())
		{
			Bots_Give(seat, Owner_Game);
		}
	}
}
