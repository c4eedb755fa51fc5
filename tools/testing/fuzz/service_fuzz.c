// SPDX-License-Identifier: GPL-2.0
/* Service ID. Input: its eight octets. */
#include "fuzz.h"

#include "conn_wire.c"

int fuzz_one(const u8 *data, size_t len)
{
	enum ipoib_service service;
	u32 qpn;
	__be64 id;

	take(&data, &len, &id, sizeof(id));
	service = ipoib_service_parse(id, &qpn);
	expect(qpn <= 0xffffff);

	/* Each is what it was taken for, and is that only. */
	expect((service == IPOIB_SERVICE_RFC) == (id == ipoib_service_id(IPOIB_SERVICE_RFC, qpn)));
	expect((service == IPOIB_SERVICE_LINUX) ==
	       (id == ipoib_service_id(IPOIB_SERVICE_LINUX, qpn)));
	expect(service <= IPOIB_SERVICE_NONE);
	return 0;
}
